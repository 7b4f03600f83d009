// C++ objects behind JavaScript objects. What comes in: an object, and what it is to stand for.
// What goes out: the same C++ object, where a method is called on the JavaScript object.
// Invariant: a method that is called on another object is refused; what an object stands for lives
// as long as the object.
#pragma once
#include <memory>
#include <string>

#include "napi/values.h"

namespace peneira {

// Gives `data` to the object, which is marked by the tag.
template <class Data>
void wrap(napi_env env, napi_value object, const napi_type_tag& tag, std::unique_ptr<Data> data) {
  const auto release = [](napi_env, void* wrapped, void*) { delete static_cast<Data*>(wrapped); };
  check(env, napi_wrap(env, object, data.get(), release, nullptr, nullptr));
  static_cast<void>(data.release());  // the object owns it from here on
  check(env, napi_type_tag_object(env, object, &tag));
}

// What the object stands for; null without the tag. `expected` says what it must be.
template <class Data>
Data* unwrapIf(const Given& object, const napi_type_tag& tag, const char* expected) {
  object.expectObject(expected);
  bool ours = false;
  check(object.env(), napi_check_object_type_tag(object.env(), object.value(), &tag, &ours));
  if (!ours) return nullptr;
  void* data = nullptr;
  check(object.env(), napi_unwrap(object.env(), object.value(), &data));
  return static_cast<Data*>(data);
}

// As `unwrapIf`, and refuses an object without the tag.
template <class Data>
Data& unwrap(const Given& object, const napi_type_tag& tag, const char* expected) {
  Data* const data = unwrapIf<Data>(object, tag, expected);
  if (data == nullptr) object.refuse(expected);
  return *data;
}

}  // namespace peneira
