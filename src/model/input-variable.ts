/** Name of the environment variable that carries an input to processes. */
export function inputVariable(name: string): string {
  return `TRAMMEL_INPUT_${name.toUpperCase().replaceAll("-", "_")}`;
}
