import { expect, test } from "vitest";
import { limits } from "../../model/limits.ts";
import { boxId } from "./box-id.ts";

test("boxes of long names that begin alike are two", () => {
  const long = "n".repeat(limits.sandboxIdCharacters);
  const ids = [boxId("r", 1, `${long}a`), boxId("r", 1, `${long}b`), boxId("r", 2, `${long}a`)];
  expect(new Set(ids).size).toBe(3);
  for (const id of ids) expect(id).toMatch(/^trammel-r-[12]-n+-[0-9a-f]{16}$/);
  expect(ids.map((id) => id.length)).toEqual(Array(3).fill(limits.sandboxIdCharacters));
  expect(boxId("r", 1, "box")).toBe("trammel-r-1-box");
});
