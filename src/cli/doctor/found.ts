import { access, constants, stat } from "node:fs/promises";
import { delimiter, join } from "node:path";
