import { describe, expect, it } from 'vitest';
import {
  type ContactFilter,
  type ContactListing,
  contactCount,
  contactPage,
} from '../../../../../src/domain/messaging/contacts/contacts.sql.ts';
import { explain, fullyRead, mostRows, nodeTypes, openFilledDatabase, PLAN_MODES } from '../../../../support/plans.ts';

/** Enough patients that the planner would not choose a full scan by chance. */
const PATIENTS = 30_000;

const client = await openFilledDatabase(
  `
    INSERT INTO organization (id, name, time_zone, updated_at) VALUES (1, 'One', 'UTC', now()), (2, 'Two', 'UTC', now());
    INSERT INTO patient (organization_id, first_name, last_name, mobile_phone, home_phone, updated_at)
    SELECT 1 + n % 2, 'First' || n * 7919 % 997, 'Last' || n * 31 % 5003 || CASE WHEN n % 20 = 0 THEN '-Other' ELSE '' END,
           '+1910' || (2000000 + n), '+1919' || (2000000 + n), now()
      FROM generate_series(1, ${PATIENTS}) n;
    INSERT INTO contact (organization_id, phone, last_name, updated_at)
    SELECT 1 + n % 2, '+1704' || (2000000 + n), CASE WHEN n % 10 = 0 THEN 'Last' || n END, now() FROM generate_series(1, ${PATIENTS / 5}) n;
    INSERT INTO contact (organization_id, id, patient_id, updated_at) SELECT 1, id, id, now() FROM patient WHERE organization_id = 1 AND id % 40 = 0;
    INSERT INTO contact_tag (organization_id, id, name, color, updated_at) SELECT 1, n, 'Tag' || n, '#000000', now() FROM generate_series(1, 20) n;
    INSERT INTO contact_contact_tag (organization_id, contact_id, contact_tag_id) SELECT 1, id, 1 + id / 40 % 20 FROM contact WHERE patient_id IS NOT NULL`,
  'VACUUM (ANALYZE) patient, patient_name_key, contact, contact_contact_tag',
);

const listing = (order: ContactListing['order'], descending = false, filter: Partial<ContactFilter> = {}): ContactListing => ({
  order,
  descending,
  filter: { search: null, tag: false, updated: false, ...filter },
});

describe.each(PLAN_MODES)('with a %s plan a page of contacts', (mode) => {
  it.each<[string, ContactListing]>([
    ['by last name', listing('lastName')],
    ['by last name, backwards', listing('lastName', true)],
    ['by first name', listing('firstName')],
    ['by first name, backwards', listing('firstName', true)],
    ['by id', listing('id')],
    ['by id, backwards', listing('id', true)],
  ])('%s merges two ranges and reads no further than the page', async (_, which) => {
    const steps = await explain(client, contactPage(which), [1, 100, 0], { mode });
    expect(fullyRead(steps)).toEqual([]);
    expect(nodeTypes(steps)).not.toContain('Sort');
    expect(nodeTypes(steps)).toContain('Merge Append');
    expect(mostRows(steps)).toBeLessThanOrEqual(200);
  });

  it.each<[string, Partial<ContactFilter>, unknown[]]>([
    ['the start of a name', { search: 'name' }, ['last12']],
    ['both names', { search: 'names' }, ['first1 last1', 'first11', 'last11']],
    ['a number', { search: 'number' }, ['+19102000', '+9102000']],
    ['a tag', { tag: true }, [3]],
    ['the start of a name and a tag', { search: 'name', tag: true }, ['last1', 3]],
  ])('with %s reads what it finds and no more', async (_, filter, values) => {
    for (const order of ['lastName', 'firstName', 'id'] as const) {
      const steps = await explain(client, contactPage(listing(order, false, filter)), [1, 100, 0, ...values], { mode });
      expect(fullyRead(steps)).toEqual([]);
      expect(mostRows(steps)).toBeLessThan(PATIENTS / 5);
    }
  });
});

it('contacts are counted without a look at a chart', async () => {
  const { text } = contactCount({ search: null, tag: false, updated: false });
  expect(text).not.toMatch(/\bpatient\b/);
  const { rows } = await client.query({ text, values: [1] });
  expect(rows[0].total).toBe(PATIENTS / 2 + PATIENTS / 10);
});
