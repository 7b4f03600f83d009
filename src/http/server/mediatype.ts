/**
 * The type of a request's body. What comes in: the head of a request. What goes out: nothing, or
 * the refusal of a body that the route does not read. Invariant: a body is never guessed at.
 * Apart because the way of a request is long enough without it.
 */
import { AppError } from "../../errors.ts";
import type { Exchange } from "./transport/transport.ts";

/** Whether a body is of a type, not compressed, whatever its parameters say. */
export function isOfType(exchange: Exchange, wanted: string): boolean {
  const [type = ""] = (exchange.header("content-type") ?? "").split(";");
  return type.trim().toLowerCase() === wanted && exchange.header("content-encoding") === undefined;
}

/**
 * JSON text is UTF-8 by definition (RFC 8259), so another charset is a misunderstanding. `others`
 * are the types that the route takes beside it.
 */
export function refuseOtherThanJson(
  exchange: Exchange,
  others: readonly { readonly type: string }[] = [],
): void {
  const sent = exchange.header("content-type") ?? "";
  if (sent === "application/json" && exchange.header("content-encoding") === undefined) return;
  const [type = "", ...parameters] = sent.split(";");
  const foreign = parameters.some((parameter) => {
    const [name = "", value = ""] = parameter.split("=");
    return name.trim().toLowerCase() === "charset" && !/^\s*"?utf-8"?\s*$/i.test(value);
  });
  if (type.trim().toLowerCase() !== "application/json" || foreign) {
    const beside = others.map(({ type }) => `, or with Content-Type: ${type}`).join("");
    const detail = `Send the body as UTF-8 JSON with Content-Type: application/json${beside}.`;
    throw new AppError("unsupported_media_type", detail);
  }
  if ((exchange.header("content-encoding") ?? "identity").trim().toLowerCase() !== "identity") {
    throw new AppError("unsupported_media_type", "Send the body without a Content-Encoding.");
  }
}
