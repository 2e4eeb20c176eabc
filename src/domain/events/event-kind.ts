export interface EventKind {
  /** The kind of record that it is about, whose id the event carries. */
  readonly subject: string;
  /** A sentence for the catalogue: the change that the event tells of. */
  readonly means: string;
  /** Every field whose name may stand in `changed`, as the domain names it. Empty: the event names no fields. */
  readonly fields: readonly string[];
}

/** A kind of event whose `changed` names these fields; none where the event says it all. */
export const kind = <const S extends string>(subject: S, means: string, ...fields: string[]) => ({ subject, means, fields }) as const;
