/** A client that may read the records may follow their changes: of the practice nothing is written. */
export const CHANGES = { tag: 'Changes', beyondDocument: true, scope: 'practice.read' } as const;

export const CHANGED = {
  ...CHANGES,
  description:
    'Requires a subscription, otherwise 403. Each changed record is returned once in its current state, in the order of changes. ' +
    'Returned records are not returned again until they change, unless `leaveunprocessed` is set. `offset` applies only with `leaveunprocessed` and to ' +
    'records returned before, which `showprocessedstartdatetime` and `showprocessedenddatetime` show for 30 days.',
} as const;
