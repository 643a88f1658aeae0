/**
 * Whether an image is made from files of this machine: `host`, its programs, or a folder that holds a root file system.
 * Any other has to come from a container engine.
 */
export function isImageOfThisMachine(image: string): boolean {
  return image === "host" || image.startsWith("/");
}
