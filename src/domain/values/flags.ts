const FLAGS = new Map<unknown, boolean>([
  ['true', true],
  ['1', true],
  ['false', false],
  ['0', false],
]);

/** The boolean of true, false, 1 and 0, also as texts in any case; anything else as it is, for a shape to refuse. */
export const readFlag = (sent: unknown) =>
  typeof sent === 'string' || typeof sent === 'number' ? (FLAGS.get(String(sent).trim().toLowerCase()) ?? sent) : sent;
