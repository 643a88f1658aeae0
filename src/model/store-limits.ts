/** Bounds of what is kept on disk: part of `limits`. */
export const storeLimits = {
  // Files that several processes share
  lockPollMs: 20,
  /** Whose processes died one after the other before they could let go. */
  lockDeadHolders: 100,

  // Journal
  eventBytes: 1024 * 1024,
  /**
   * Of the write-ahead log before it is taken over into the file: 16 MiB.
   * Taking over costs about as much as ten commits.
   */
  storeLogPages: 4_096,
  storeBusyMs: 5_000,
  storeRetryMs: 3,
  storeFollowUps: 16,
  storeStreakCommits: 8,
  storeCrowdedCommits: 64,
  tornRecords: 8,
  journalPageRecords: 512,
  journalParsedCharacters: 4 * 1024 * 1024,
  removedRunsRemembered: 10_000,
  unplacedRecords: 256,
  telemetryDelayMs: 50,
  telemetryBufferBytes: 256 * 1024,
  mailboxPollMs: 100,
  queuePollMs: 250,
  concurrencyKeyCharacters: 500,
  noticeMs: 10_000,
  noticesPerRun: 100,
  runsListed: 1_000,
  runsNamed: 5,
  /** To complete a command line. */
  runsOffered: 50,
  runsInInbox: 100_000,
  receiptBytes: 256 * 1024 * 1024,
  /** Node types from outside in one definition that a receipt is verified without. */
  standInTypes: 6,
  probeTimeoutMs: 60_000,
  probeOutputBytes: 1024 * 1024,
  earlyAnswers: 100,
  gateOpenings: 20,
  answerPollMs: 50,
  userLookUpMs: 5_000,
  answerCharacters: 60,
  answerBytes: 256 * 1024,
  answerTakenMs: 10_000,
  parkRetryMs: 5,
  parkRetryMaxMs: 500,
  /** Items of a map of which the plain view tells everything. */
  itemsToldWhole: 20,
  /** Rows of the live view for what runs inside one node. */
  rowsInside: 8,
  /** Gates that a hint names. */
  gatesNamed: 10,
  startTries: 10,

  // Trees
  scannedAtOnceFiles: 32,

  // Retention; retention.runs, retention.history
  outputsKeptDefaultMs: 30 * 24 * 3_600_000,
  outputsKeptDefaultBytes: 5 * 1024 * 1024 * 1024,
  historyKeptDefaultMs: 90 * 24 * 3_600_000,
  blobGraceMs: 3_600_000,
  pruneLockMs: 10 * 60_000,
  performanceSlackMs: 5_000,
  performanceAbandonMs: 15_000,
  processesPerAttempt: 1_000,
  clippedItems: 100,
  retryJitterRatio: 0.25,
  noticesPerProcess: 100,
  evidenceLines: 5,
} as const;
