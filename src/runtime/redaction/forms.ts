import { limits } from "../../model/limits.ts";

export interface Forms {
  readonly exact: readonly Buffer[];
  /** Programs break the encoded forms of long values into lines (base64, xxd): a line end inside one is passed over. */
  readonly foldable: readonly Buffer[];
}

/**
 * The ways in which a secret value shows up in output: as it is, by lines, and as JSON, shells, literals of programs,
 * HTML, URL, base64 and hex write it. Base64 comes in the three alignments it has inside a longer text,
 * less the outermost characters it shares with its neighbours.
 */
export function formsOf(value: string): Forms {
  const whole = value.trim().slice(0, limits.secretCharacters);
  const written = [...jsonForms(whole), ...shellForms(whole), ...quotedForms(whole), ...markupForms(whole)];
  const plain = new Set([whole, ...written, ...secretLines(whole)]);
  const exact = [...plain].map((text) => Buffer.from(text));
  if (whole.length > limits.secretEncodedCharacters) return { exact, foldable: [] };
  const encoded = new Set([...urlForms(whole), ...base64Forms(whole), ...hexForms(whole)]);
  const foldable = [...encoded].filter((text) => !plain.has(text)).map((text) => Buffer.from(text));
  return { exact, foldable };
}

/**
 * As it stands inside a JSON string, or in one inside of another, as logs hold requests: encoders
 * disagree on slashes, on what HTML minds and on what is not ASCII.
 */
function jsonForms(text: string): string[] {
  const json = JSON.stringify(text).slice(1, -1);
  const ascii = escapedAs(json, /[^\u0020-\u007e]/g);
  const html = [json, ascii].map((one) => escapedAs(one, /[<>&]/g));
  const nested = [json, ascii].map((one) => JSON.stringify(one).slice(1, -1));
  return [json, ascii, ...html, ...nested, json.replaceAll("/", "\\/"), ascii.replaceAll("/", "\\/")];
}

function escapedAs(text: string, characters: RegExp): string {
  return text.replace(characters, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

/** Inside single quotes, as `set -x` and quoting libraries print an apostrophe; without any, as `printf %q` does. */
function shellForms(text: string): string[] {
  const bare = text.replaceAll(/^[#~]|[ !"$&'()*,;<>?[\\\]^`{|}]/g, "\\$&");
  return [bare, ...[`'\\''`, `'"'"'`].map((apostrophe) => text.replaceAll("'", apostrophe))];
}

/** In a literal, as Python, Node and others show a text: which quotes are escaped depends on those around it. */
function quotedForms(text: string): string[] {
  const doubled = text.replaceAll("\\", "\\\\");
  return [doubled, ...["'", "`"].map((mark) => doubled.replaceAll(mark, `\\${mark}`))];
}

/** In a page of HTML or XML: they write the apostrophe in three ways, and some leave quotes as they are. */
function markupForms(text: string): string[] {
  const inText = text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
  const quoted = ["&quot;", "&#34;"].map((quote) => inText.replaceAll('"', quote));
  const apostrophes = ["&#39;", "&#x27;", "&apos;"];
  return [inText, ...quoted, ...quoted.flatMap((one) => apostrophes.map((mark) => one.replaceAll("'", mark)))];
}

/** A key file is often shown indented or line by line; its frame is public. */
function secretLines(text: string): string[] {
  const lines = text.split(/\r?\n/).map((line) => line.trim());
  if (lines.length === 1) return [];
  return lines.filter((line) => line.length >= limits.secretLineCharacters && !line.startsWith("-----"));
}

/** RFC 3986, with and without the marks that encoders disagree on, form encoding, and digits in either case. */
function urlForms(text: string): string[] {
  const component = encodeURIComponent(text.toWellFormed());
  const strict = component.replaceAll(/[!'()*]/g, (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`);
  const form = new URLSearchParams([["", text]]).toString().slice(1);
  const upper = [component, strict, form].flatMap((one) => [one, one.replaceAll("%2F", "/")]);
  return [...upper, ...upper.map((one) => one.replaceAll(/%[0-9A-F]{2}/g, (digits) => digits.toLowerCase()))];
}

function base64Forms(text: string): string[] {
  const bytes = Buffer.from(text);
  const aligned = [0, 1, 2].map((offset) => {
    const encoded = Buffer.concat([Buffer.alloc(offset), bytes]).toString("base64");
    return encoded.slice(Math.ceil((offset * 8) / 6), Math.floor(((offset + bytes.length) * 8) / 6));
  });
  const standard = [bytes.toString("base64"), ...aligned];
  return [...standard, ...standard.map((one) => one.replaceAll("+", "-").replaceAll("/", "_"))];
}

function hexForms(text: string): string[] {
  const hex = Buffer.from(text).toString("hex");
  return [hex, hex.toUpperCase()];
}
