import { describe } from "vitest";
import { conformance } from "./conformance/suite.ts";
import { driverIn, image, works } from "./ground.ts";

describe.runIf(works("podman"))("a container", () => {
  conformance({ name: "podman", image: `localhost/${image}`, driver: (folder) => driverIn("podman", folder) });
});
