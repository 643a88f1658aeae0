/** A text as one word of a command that a person pastes into any common shell: `each[0]/ask` is a pattern to some. */
export function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

/** Words as one line that a shell reads back as the same words. */
export function shellLine(words: readonly string[]): string {
  return words.map(shellWord).join(" ");
}
