/** Where a box keeps what its run works on, and where commands and checkouts go when nothing else is said. */
export const boxWorkspace = "/workspace";

/** `host` is this machine's own programs. */
export function isHostImage(image: string): boolean {
  return image === "host";
}

/**
 * Whether an image is made from files of this machine: `host`, its programs, or a folder that holds a root file system.
 * Any other has to come from a container engine.
 */
export function isImageOfThisMachine(image: string): boolean {
  return isHostImage(image) || image.startsWith("/");
}
