import { limits } from "../../model/limits.ts";

const secretName = /key|token|secret|passw|credential|auth|cookie|session|private|dsn|database_url/i;

/**
 * Whether the value of a forwarded variable is masked wherever it shows. All are, but for short words under a plain
 * name: masking `true` or `openai` would hide nothing and make every log unreadable.
 */
export function isSecretLike(name: string, value: string): boolean {
  return secretName.test(name) || value.length >= limits.forwardedSecretCharacters;
}
