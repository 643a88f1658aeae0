/** Where a box keeps what its run works on. */
export const workspace = "/workspace";

/** `host` is this machine's own programs; anything else is the path of a root file system. */
export function isHostImage(image: string): boolean {
  return image === "host";
}
