// The seeded order of rows: a 4-round Feistel network over [0, count) with cycle walking. What
// comes in: row count, seed, row. What goes out: the position of the row, and the row at a
// position.
// Invariant: a permutation of [0, count); the constants are part of the public contract, because
// pages of a seeded search must stay the same over releases. The mixer is the 64-bit finalizer of
// MurmurHash3 (public domain, Austin Appleby); the twin is in test/.
#pragma once
#include <cstdint>

namespace peneira {

// One seeded permutation.
class Feistel {
 public:
  Feistel(uint64_t count, uint64_t seed) : count_(count) {
    uint32_t bits = 2;
    while (bits < 64 && (uint64_t{1} << bits) < count) bits += 2;
    half_ = bits / 2;
    mask_ = (uint64_t{1} << half_) - 1;
    for (uint64_t round = 0; round < kRounds; round++) {
      keys_[round] = mix(seed + (round + 1) * 0x9E3779B97F4A7C15u);
    }
  }

  // Position of a row below `count`.
  uint64_t position(uint64_t row) const {
    do row = forward(row);
    while (row >= count_);
    return row;
  }

  // Row at a position below `count`.
  uint64_t row(uint64_t position) const {
    do position = backward(position);
    while (position >= count_);
    return position;
  }

 private:
  static constexpr uint64_t kRounds = 4;

  static uint64_t mix(uint64_t value) {
    value = (value ^ (value >> 33)) * 0xff51afd7ed558ccdu;
    value = (value ^ (value >> 33)) * 0xc4ceb9fe1a85ec53u;
    return value ^ (value >> 33);
  }

  uint64_t forward(uint64_t value) const {
    uint64_t left = value >> half_, right = value & mask_;
    for (uint64_t round = 0; round < kRounds; round++) {
      const uint64_t next = left ^ (mix(right ^ keys_[round]) & mask_);
      left = right;
      right = next;
    }
    return left << half_ | right;
  }

  uint64_t backward(uint64_t value) const {
    uint64_t left = value >> half_, right = value & mask_;
    for (uint64_t round = kRounds; round-- > 0;) {
      const uint64_t before = right ^ (mix(left ^ keys_[round]) & mask_);
      right = left;
      left = before;
    }
    return left << half_ | right;
  }

  uint64_t count_, mask_ = 0;
  uint32_t half_ = 0;
  uint64_t keys_[kRounds] = {};
};

}  // namespace peneira
