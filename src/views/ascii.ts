/** What stands for each sign of ours where only ASCII is shown: one character each, so that columns stay. */
const stand: Readonly<Record<string, string>> = {
  "■": "#",
  "◆": "@",
  "●": "o",
  "▲": "^",
  "▣": "%",
  "·": ".",
  "▸": ">",
  "↻": "r",
  "✓": "+",
  "✗": "x",
  "⊘": "c",
  "↷": "s",
  "‽": "u",
  "→": ">",
  "±": "+",
  "≠": "!",
  "×": "x",
  "✘": "x",
  "│": "|",
  "…": "~",
  "–": "-",
  "—": "-",
};
const signs = new RegExp(`[${Object.keys(stand).join("")}]`, "g");

/** Text with our signs as ASCII; what others wrote stays as it is. */
export function ascii(text: string): string {
  return text.replace(signs, (sign) => stand[sign] ?? sign);
}

/** Whether a terminal is said to show ASCII at most, as POSIX says it: nothing said is taken for UTF-8. */
export function isAscii(env: Readonly<Record<string, string | undefined>>): boolean {
  const locale = [env["LC_ALL"], env["LC_CTYPE"], env["LANG"]].find((one) => one !== undefined && one !== "");
  return locale !== undefined && !/utf-?8/i.test(locale);
}
