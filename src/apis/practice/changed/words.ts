/** A client that may read the records may follow their changes: of the practice nothing is written. */
export const CHANGES = { tag: 'Changes', beyondDocument: true, scope: 'practice.read' } as const;

/** The traits of each feed. */
export const CHANGED = {
  ...CHANGES,
  description:
    'Needs a subscription, else 403. Each record comes once, as it is now, however often it changed, and in the order of the changes. ' +
    'Records that are returned come no more until they change again, unless `leaveunprocessed` is set; `offset` counts only then, and for ' +
    'records that were returned before, which `showprocessedstartdatetime` and `showprocessedenddatetime` show for 30 days.',
} as const;
