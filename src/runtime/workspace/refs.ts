/** Where the pictures of a run's tree are kept in its repository. */
export const refs = {
  all: "refs/trammel/",
  start: (run: string) => `refs/trammel/${run}/start`,
  /** Of a fork with a worktree: the start of the run that its line of forks began with. */
  origin: (run: string) => `refs/trammel/${run}/origin`,
  end: (run: string) => `refs/trammel/${run}/end`,
  /** Its worktree as it stood when the last fork of it began there. */
  forked: (run: string) => `refs/trammel/${run}/forked`,
  /** What stood there before a run was undone. */
  undone: (run: string, n: number) => `refs/trammel/${run}/undone-${n}`,
  /** The tree before a pass of a node. */
  before: (run: string, node: string, pass: number) => `refs/trammel/${run}/${node}#${pass}`,
  /** The tree as an attempt left it that failed. */
  after: (run: string, node: string, pass: number, attempt: number) => `refs/trammel/${run}/${node}#${pass}.${attempt}`,
} as const;
