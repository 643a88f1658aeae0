/**
 * A hash by itself, or as the path of its file. Anything that looks like one
 * counts: what is kept needlessly does no harm.
 */
const mention = /(?<![0-9a-f])[0-9a-f]{2}\/?[0-9a-f]{62}(?![0-9a-f])/g;

/** Hashes of the blobs that the text of a record may refer to. */
export function mentionedIn(text: string): readonly string[] {
  return [...text.matchAll(mention)].map(([found]) => found.replace("/", ""));
}
