import { expect } from "vitest";
import { Place, runIn, trammel } from "./cli.ts";

/** A place that is a repository in which these files are committed. */
export function committed(files: Readonly<Record<string, string>>): Place {
  const place = new Place();
  place.git("init", "--quiet", "-b", "main");
  place.git("config", "user.name", "A");
  place.git("config", "user.email", "a@b");
  for (const [file, text] of Object.entries(files)) place.file(file, text);
  place.git("add", ...Object.keys(files));
  place.git("commit", "--quiet", "-m", "first");
  return place;
}

/** Runs the blueprint `b.yaml`, which has to succeed without a word on standard error. */
export async function succeeded(place: Place): Promise<string> {
  const { code, stdout, stderr } = await trammel(["run", "-b", "b.yaml", "--json"], { place });
  expect([code, stderr]).toEqual([0, ""]);
  return runIn(stdout);
}
