/** A text as one word of a command that a person pastes into any common shell: `each[0]/ask` is a pattern to some. */
export function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
