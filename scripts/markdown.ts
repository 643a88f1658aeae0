import GithubSlugger from "github-slugger";
import { lexer, walkTokens } from "marked";
import type { Token, Tokens } from "marked";

export interface CodeBlock {
  /** First word after the fence. */
  readonly language: string;
  /** The words after it. */
  readonly words: readonly string[];
  readonly text: string;
  /** Line of the fence, from 1. */
  readonly line: number;
}

interface Found {
  readonly text: string;
  readonly line: number;
}

export interface Page {
  readonly anchors: ReadonlySet<string>;
  /** Targets of links and images as written. */
  readonly links: readonly Found[];
  /** Inline code. */
  readonly spans: readonly Found[];
  readonly blocks: readonly CodeBlock[];
}

export function readPage(markdown: string): Page {
  const slugger = new GithubSlugger();
  const page = { anchors: new Set<string>(), links: [] as Found[], spans: [] as Found[], blocks: [] as CodeBlock[] };
  let line = 1;
  const take = (token: Token): void => {
    if (isLink(token)) page.links.push({ text: token.href, line });
    else if (token.type === "codespan") page.spans.push({ text: (token as Tokens.Codespan).text, line });
    else if (token.type === "heading")
      page.anchors.add(slugger.slug((token as Tokens.Heading).text.replaceAll("`", "")));
    else if (token.type === "code") page.blocks.push(codeBlock(token as Tokens.Code, line));
  };
  for (const token of lexer(markdown)) {
    void walkTokens([token], take);
    line += token.raw.split("\n").length - 1;
  }
  return page;
}

function isLink(token: Token): token is Tokens.Link | Tokens.Image {
  return token.type === "link" || token.type === "image";
}

function codeBlock(token: Tokens.Code, line: number): CodeBlock {
  const [language = "", ...words] = (token.lang ?? "").split(" ").filter((word) => word !== "");
  return { language, words, text: token.text, line };
}
