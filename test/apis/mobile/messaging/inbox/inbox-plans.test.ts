import { expect, it } from 'vitest';
import { type InboxFilter, inboxCount, inboxPage } from '../../../../../src/domain/messaging/inbox/inbox-list.sql.ts';
import { explain, fullyRead, mostRows, nodeTypes, openFilledDatabase, PLAN_MODES } from '../../../../support/plans.ts';

/** Items of two practices: of years, of which few are open. */
const ITEMS = 30_000;

const client = await openFilledDatabase(
  `
    INSERT INTO organization (id, name, time_zone, updated_at) VALUES (1, 'One', 'UTC', now()), (2, 'Two', 'UTC', now());
    INSERT INTO "user" (organization_id, id, type, first_name, last_name, updated_at) SELECT 1 + n % 2, n, 'staff', 'A', 'B', now() FROM generate_series(1, 20) n;
    INSERT INTO chat (organization_id, id, name, updated_at) SELECT 1 + n % 2, n, 'Group', now() FROM generate_series(1, 10) n;
    INSERT INTO chat_member (organization_id, chat_id, user_id, ring_order) SELECT 1, 2, n, n FROM generate_series(2, 20, 2) n;
    INSERT INTO inbox_item (organization_id, chat_id, contact_id, latest_at, assigned_user_id, closed_at)
    SELECT 1 + n % 2, nullif(n % 10, 0), n, now() - n * interval '1 minute', CASE WHEN n % 3 = 0 THEN nullif(n % 20, 0) END,
           CASE WHEN n % 200 > 1 THEN now() END
      FROM generate_series(1, ${ITEMS}) n`,
  'VACUUM (ANALYZE) inbox_item, chat_member',
);

const ALL: InboxFilter = { group: false, mine: false, open: undefined, kind: false, urgent: undefined, patient: false };

const FILTERS: [string, InboxFilter, number[]][] = [
  ['all', ALL, []],
  ['open', { ...ALL, open: true }, []],
  ['of a group', { ...ALL, group: true }, [2]],
  ['open of a group', { ...ALL, group: true, open: true }, [2]],
  ['mine', { ...ALL, mine: true }, [4]],
  ['open and mine', { ...ALL, mine: true, open: true }, [4]],
  ['closed', { ...ALL, open: false }, []],
  ['urgent', { ...ALL, open: true, urgent: true }, []],
];

it.each(FILTERS)('a page of items (%s) reads little more than the page, whatever the plan', async (_, filter, values) => {
  for (const mode of PLAN_MODES) {
    const steps = await explain(client, inboxPage(filter), [1, 20, 0, ...values], { mode });
    // The members of ten call groups fit on one page of the disk.
    expect(
      fullyRead(steps).filter((table) => table !== 'chat_member'),
      mode,
    ).toEqual([]);
    expect(mostRows(steps), mode).toBeLessThan(ITEMS / 20);
  }
});

it('open items are counted without the closed ones', async () => {
  const steps = await explain(client, inboxCount({ ...ALL, group: true, open: true }), [1, 2], { mode: 'custom' });
  expect([fullyRead(steps), mostRows(steps) < ITEMS / 20, nodeTypes(steps).includes('Seq Scan')]).toEqual([[], true, false]);
});
