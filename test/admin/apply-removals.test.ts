import { expect, it } from 'vitest';
import { sharedTestApp } from '../support/app.ts';
import { createOrganization } from '../support/factories.ts';
import { createOperator } from './command-line.ts';

const test = await sharedTestApp();
const operator = createOperator(test);
const { prisma } = test.database;

const KINDS = ['employers', 'custom_fields', 'items', 'provider_groups', 'providers', 'programs', 'surveys', 'locations', 'waiting_rooms'];

it('a practice that needs its items no more changes, ends and removes each, and the log of events has it', async () => {
  const organization = await createOrganization(prisma);
  const email = `bo.${organization.id}@clinic.example`;
  const user = { email, first_name: 'Bo', last_name: 'Ek', role: 'provider', review_urls: [{ url: 'https://reviews.example/bo' }] };
  await operator.apply(organization.id, {
    offices: [{ name: 'North' }],
    users: [user],
    employers: [{ key: 'it', name: 'Bakery' }],
    custom_fields: [{ key: 'it', name: 'Heard from', type: 'text' }],
    items: [{ key: 'it', name: 'Steps', unit: 'steps' }],
    provider_groups: [{ key: 'it', name: 'Group' }],
    providers: [{ key: 'it', first_name: 'Bo', last_name: 'Ek' }],
    programs: [{ key: 'it', name: 'Hearts', steps: ['Consent'] }],
    surveys: [{ key: 'it', name: 'Daily', questions: [{ key: 'pain', text: 'Pain', kind: 'yes_no' }] }],
    locations: [{ key: 'it', name: 'Room', office: 'North' }],
    waiting_rooms: [{ key: 'it', name: 'Lobby', office: 'North' }],
  });
  await operator.apply(organization.id, {
    users: [{ email, review_urls: [] }],
    employers: [{ key: 'it', city: 'Ada' }],
    custom_fields: [{ key: 'it', name: 'Sent by' }],
    provider_groups: [{ key: 'it', name: 'All' }],
    programs: [{ key: 'it', active: false }],
    surveys: [{ key: 'it', active: false }],
    locations: [{ key: 'it', city: 'Ada' }],
    waiting_rooms: [{ key: 'it', name: 'Hall' }],
  });
  await operator.apply(organization.id, { waiting_rooms: [{ key: 'it', active: false }] });
  const gone = KINDS.map((kind) => [kind, [{ key: 'it', remove: true }]]);
  await operator.apply(organization.id, { users: [{ email, remove: true }], ...Object.fromEntries(gone) });
  const where = { organizationId: organization.id };
  const events = await prisma.event.findMany({ where, distinct: ['name'], select: { name: true } });
  expect(events.map(({ name }) => name)).toEqual(
    expect.arrayContaining([
      ...['provider_group.updated', 'location.updated', 'waiting_room.updated', 'employer.updated', 'custom_field.updated'],
      ...['program.ended', 'survey_type.ended', 'waiting_room.closed', 'review_url.removed', 'user.removed'],
      ...['custom_field.removed', 'employer.removed', 'survey_type.removed', 'program.removed', 'item.removed'],
      ...['provider.removed', 'waiting_room.removed', 'location.removed', 'provider_group.removed'],
    ]),
  );
});
