import { ACCOUNT_EVENTS } from '../src/domain/events/account-events.ts';
import { EVENTS, type EventName } from '../src/domain/events/catalogue.ts';
import { EVENT_DIALECTS, namesIn } from '../src/domain/events/dialect-names.ts';
import type { EventKind } from '../src/domain/events/event-kind.ts';
import { MESSAGING_EVENTS } from '../src/domain/events/messaging-events.ts';
import { MONITORING_EVENTS } from '../src/domain/events/monitoring-events.ts';
import { PATIENT_EVENTS } from '../src/domain/events/patient-events.ts';
import { PRACTICE_EVENTS } from '../src/domain/events/practice-events.ts';
import { SCHEDULING_EVENTS } from '../src/domain/events/scheduling-events.ts';
import { TELEHEALTH_EVENTS } from '../src/domain/events/telehealth-events.ts';
import { WEBHOOK_EVENTS } from '../src/domain/events/webhook-events.ts';
import { snakeCase } from '../src/records/field.ts';

const AREAS: Readonly<Record<string, Readonly<Record<string, EventKind>>>> = {
  Patients: PATIENT_EVENTS,
  Scheduling: SCHEDULING_EVENTS,
  Messaging: MESSAGING_EVENTS,
  Telehealth: TELEHEALTH_EVENTS,
  Monitoring: MONITORING_EVENTS,
  Practices: PRACTICE_EVENTS,
  'Users and clients': ACCOUNT_EVENTS,
  Webhooks: WEBHOOK_EVENTS,
};

const INTRODUCTION = `# Events

Every change of a record appends an event to the log of its practice, in the transaction of the change. This page lists all kinds; it is
generated from \`src/domain/events\` by \`npm run openapi\`, and a check fails where it is stale.

Programs follow the log with \`GET /platform/v1/events\` or \`GET /platform/v1/events/stream\` (scope \`events.read\`, or an administrator),
or receive events as [webhooks](webhooks.md). An event has the same form everywhere:

\`\`\`json no-run: differs for each event
{
  "id": "evt_5000000123",
  "type": "patient.updated",
  "occurred_at": "2026-11-23T14:03:11Z",
  "subject": { "type": "patient", "id": 12 },
  "changed": ["last_name", "mobile_phone"],
  "actor": "user:7",
  "request_id": "0f7c8f0e-3b1e-4b5e-9d0a-3b1f4a0a7a10"
}
\`\`\`

- Events contain no values. Read the record in its API to get the values that you may see.
- Store \`next\` of each page, even an empty one, and send it as \`after\`: each event is returned once, in the order of the log, including late
  commits. With a filter, a page may be empty while \`has_more\` is true: continue with \`next\`.
- To keep copies, start with an export of all records and use its \`Feed-Cursor\` as the first \`after\`: [example](guides/sync.md).
- The log is read up to the oldest running transaction, so an event may appear shortly after its change.
- Events about a restricted or blocked chart are hidden from callers who may not see it.
- \`changed\` contains only field names listed here. With \`dialect=integration\`, \`practice\` or \`mobile\`, the feed, its stream and webhook
  endpoints use the names of that API: [names by API](#names-by-api).
`;

/** The page of all kinds of events, as Markdown. */
export const eventCatalogue = (): string =>
  [
    INTRODUCTION,
    ...Object.entries(AREAS).map(([area, events]) => `## ${area}\n\n${writeTable(events)}`),
    `## Names by API\n\n${namesTable(['patient.updated', 'appointment.scheduled'])}`,
  ].join('\n');

/** The names of the fields of these kinds of events in each API. */
const namesTable = (kinds: readonly EventName[]): string =>
  [
    `| Subject | Field | ${EVENT_DIALECTS.map((dialect) => `\`${dialect}\``).join(' | ')} |`,
    '|---|---|---|---|---|',
    ...kinds.flatMap((name) => {
      const { subject, fields } = EVENTS[name];
      const writeNames = (field: string) => EVENT_DIALECTS.map((dialect) => `\`${namesIn(dialect, subject, [field]).join()}\``).join(' | ');
      return fields.map((field) => `| ${subject} | \`${snakeCase(field)}\` | ${writeNames(field)} |`);
    }),
    '',
  ].join('\n');

const writeTable = (events: Readonly<Record<string, EventKind>>): string =>
  [
    '| Type | Subject | Meaning | Fields in `changed` |',
    '|---|---|---|---|',
    ...Object.entries(events).map(
      ([name, { subject, means, fields }]) =>
        `| \`${name}\` | \`${subject}\` | ${means} | ${fields.map((field) => `\`${snakeCase(field)}\``).join(', ')} |`,
    ),
    '',
  ].join('\n');
