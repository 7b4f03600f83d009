/**
 * A password input whose text can be shown.
 *
 * - PasswordInput: as TextInput; autocomplete: "current-password" or "new-password"
 * - SecretOnce: label; secret: shown once, with a copy button
 *
 * Invariant: the text is hidden unless the user shows it. Password managers recognize the input by
 * its autocomplete.
 */
import type { VNode } from "preact";
import { useState } from "preact/hooks";
import { words } from "../app/words.ts";
import { CopyButton, IconButton } from "./button.tsx";
import { TextInput, type TextInputProps } from "./field.tsx";

/** A password input with a button that shows the text. */
export function PasswordInput(props: TextInputProps): VNode {
  const [shown, show] = useState(false);
  const text = words.value.shell.signIn;
  const button = (
    <IconButton
      icon={shown ? "eyeOff" : "eye"}
      label={shown ? text.hide : text.show}
      onClick={() => show(!shown)}
    />
  );
  return (
    <TextInput
      {...props}
      type={shown ? "text" : "password"}
      suffix={button}
      spellcheck={false}
      autocapitalize="none"
    />
  );
}

/** A secret shown only once, such as a new key. */
export function SecretOnce({ label, secret }: { label: string; secret: string }): VNode {
  return (
    <div class="secret">
      <p class="field-label">{label}</p>
      <div class="secret-line">
        <code class="secret-text">{secret}</code>
        <CopyButton text={secret} label={words.value.shell.copy} />
      </div>
    </div>
  );
}
