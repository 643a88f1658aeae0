import { parseSync } from "oxc-parser";
import { describe, expect, test } from "vitest";
import { readRepositoryFile, repositoryFiles } from "../../scripts/files.ts";

const most = 6;

/** Interfaces of a file with their own methods; function-valued properties count. */
function methodsOf(file: string, text: string): { readonly name: string; readonly methods: number }[] {
  const { program } = parseSync(file, text);
  return program.body.flatMap((statement) => {
    const declared = statement.type === "ExportNamedDeclaration" ? statement.declaration : statement;
    if (declared?.type !== "TSInterfaceDeclaration") return [];
    const methods = declared.body.body.filter(
      (member) =>
        member.type === "TSMethodSignature" ||
        (member.type === "TSPropertySignature" && member.typeAnnotation?.typeAnnotation.type === "TSFunctionType"),
    );
    return [{ name: declared.id.name, methods: methods.length }];
  });
}

describe("a port has six methods at most", () => {
  test.each(repositoryFiles("src/ports/*.ts"))("%s", (file) => {
    expect(methodsOf(file, readRepositoryFile(file)).filter(({ methods }) => methods > most)).toEqual([]);
  });

  test("and one with seven is found", () => {
    const seven = Array.from({ length: 7 }, (_, n) => (n % 2 === 0 ? `m${n}(): void;` : `readonly m${n}: () => void;`));
    expect(methodsOf("x.ts", `export interface Wide { ${seven.join(" ")} readonly data: string }`)).toEqual([
      { name: "Wide", methods: 7 },
    ]);
  });
});
