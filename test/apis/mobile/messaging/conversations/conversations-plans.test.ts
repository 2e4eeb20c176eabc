import { expect, it } from 'vitest';
import {
  type ConversationFilter,
  conversationCount,
  conversationPage,
  messagePage,
} from '../../../../../src/domain/messaging/conversations/conversations.sql.ts';
import { explain, fullyRead, mostRows, openFilledDatabase } from '../../../../support/plans.ts';

/** Texts of two practices with a thousand numbers each, for years. */
const TEXTS = 60_000;
const NUMBERS = 1_000;

const client = await openFilledDatabase(
  `
    INSERT INTO organization (id, name, time_zone, updated_at) VALUES (1, 'One', 'UTC', now()), (2, 'Two', 'UTC', now());
    INSERT INTO patient (organization_id, id, first_name, last_name, mobile_phone, updated_at)
    SELECT 1 + n % 2, n, 'A', 'B', '+1919555' || lpad((n % ${NUMBERS})::text, 4, '0'), now() FROM generate_series(1, 2000) n;
    INSERT INTO sms_message (organization_id, direction, patient_id, from_number, to_number, body, state, queued_at, updated_at)
    SELECT 1 + n % 2, (ARRAY['inbound', 'outbound'])[1 + n / 2 % 2]::message_direction, 1 + (n - 1) % 2000,
           CASE WHEN n / 2 % 2 = 0 THEN s.theirs ELSE '+18455550100' END, CASE WHEN n / 2 % 2 = 0 THEN '+18455550100' ELSE s.theirs END,
           'Hello', 'received', now() - n * interval '1 minute', now()
      FROM generate_series(1, ${TEXTS}) n CROSS JOIN LATERAL (SELECT '+1919555' || lpad((n * 7 % ${NUMBERS})::text, 4, '0') AS theirs) s;
    INSERT INTO inbox_item (organization_id, contact_id, number, latest_at, closed_at)
    SELECT 1 + n % 2, n, '+1919555' || lpad((n % ${NUMBERS})::text, 4, '0'), now(), CASE WHEN n % 100 > 1 THEN now() END FROM generate_series(1, 5000) n`,
  'VACUUM (ANALYZE) sms_message, inbox_item, patient',
);

const scope = { organizationId: 1, mayRestricted: false, opened: [], restrictedNumbers: [] };
const window = { limit: 20, offset: 0 };
const last = [new Date().toISOString(), '1000000'];
const FILTERS: [string, ConversationFilter][] = [
  ['of all', {}],
  ['of a patient', { patientId: 101 }],
  ['of a contact', { contactId: 101 }],
  ['with an open item', { open: true }],
  ['of a user', { open: true, userId: 4 }],
  ['without an open item', { open: false }],
];

it.each(FILTERS)('a page of conversations (%s) reads little more than the page, also further on', async (_, filter) => {
  for (const after of [[], last]) {
    const { text, values } = conversationPage(scope, filter, { ...window, after });
    const steps = await explain(client, { text }, values, { mode: 'custom' });
    expect(fullyRead(steps).filter((table) => table === 'sms_message')).toEqual([]);
    expect(mostRows(steps)).toBeLessThan(TEXTS / 20);
  }
});

it('all conversations are counted by their numbers, not by their texts', async () => {
  const { text, values } = conversationCount(scope, {});
  const steps = await explain(client, { text }, values, { mode: 'custom' });
  expect([fullyRead(steps), mostRows(steps) < TEXTS / 20]).toEqual([[], true]);
});

it('a page of the texts of a number reads no others', async () => {
  const { text, values } = messagePage(scope, '+19195550007', undefined, { ...window, after: last });
  const steps = await explain(client, { text }, values, { mode: 'custom' });
  expect([fullyRead(steps), mostRows(steps) < 100]).toEqual([[], true]);
});
