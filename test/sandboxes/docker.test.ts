import { describe } from "vitest";
import { conformance } from "./conformance/suite.ts";
import { driverIn, image, works } from "./ground.ts";

describe.runIf(works("docker"))("a container", () => {
  conformance({ name: "docker", image, driver: (folder) => driverIn("docker", folder) });
});
