import { readRepositoryFile, sources } from "./files.ts";
import { importProblems, readLayers, roomProblems, tableProblems } from "./layers.ts";

const layers = readLayers(readRepositoryFile("ARCHITECTURE.md"));
const files = sources();
const problems = [...tableProblems(layers), ...importProblems(layers, files), ...roomProblems(files)];
for (const problem of problems) console.error(problem);
console.log(`layers: ${files.size} files, ${problems.length} problems`);
process.exitCode = problems.length > 0 || files.size === 0 ? 1 : 0;
