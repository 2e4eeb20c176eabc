import { z } from 'zod';
import { EVENTS } from '../../../domain/events/catalogue.ts';
import { EVENT_DIALECTS, type EventDialect } from '../../../domain/events/dialect-names.ts';
import { namesMatching } from '../../../domain/events/event-filter.ts';
import { publicEvent } from '../../../domain/events/public-event.ts';
import type { EventPage } from '../../../domain/logs/event-log.ts';
import { instant, LARGEST_LONG_ID, text, toNumber } from '../../../http/wire/wire-types.ts';

const SUBJECTS: ReadonlySet<string> = new Set(Object.values(EVENTS).map(({ subject }) => subject));

export const EventShape = z
  .strictObject({
    id: z.string().describe('Id of the event: evt_ and digits'),
    type: z
      .string()
      .describe('Kind of event: a kind of record and what happened to it, such as patient.registered. More kinds may be added'),
    occurred_at: instant().describe('When the change was made'),
    subject: z
      .strictObject({
        type: z.string().describe('Kind of the record'),
        id: z.int().describe('Id of the record, as in its API'),
      })
      .describe('The record that changed'),
    changed: z.array(z.string()).describe('Names of the fields that changed, never their values'),
    actor: z.string().describe('Who did it: user:12, client:… , operator:name, job:name'),
    request_id: z.string().nullable().describe('Id of the request that caused it; null without one'),
  })
  .meta({ id: 'LoggedEvent' });

export const EventList = z
  .strictObject({
    data: z.array(EventShape).describe('The events of this page, in the order of the log'),
    next: z.string().describe('Cursor for the next page; store it even from an empty page'),
    has_more: z.boolean().describe('Whether there are more pages now. With filters, a page may be empty and still have more pages'),
  })
  .meta({ id: 'EventList' });

const limitError = 'must be an integer from 1 to 1000';

/** Names and patterns such as `appointment.*`, separated by commas. */
const types = text(2_000)
  .meta({ pattern: String.raw`^\s*[a-z_]+\.([a-z_]+|\*)\s*(,\s*[a-z_]+\.([a-z_]+|\*)\s*)*$` })
  .transform((sent, context) => {
    const found = sent.split(',').flatMap((one) => {
      const name = one.trim();
      const named = namesMatching(name);
      if (named.length === 0) context.addIssue(`has "${name.slice(0, 100)}", which is not a kind of event`);
      return named;
    });
    return [...new Set(found)];
  });

const subject = text(100)
  .meta({ pattern: String.raw`^[a-z_]+:\d{1,16}$` })
  .transform((sent, context) => {
    const [, type = '', id = ''] = /^([a-z_]+):(\d{1,16})$/.exec(sent) ?? [];
    if (SUBJECTS.has(type) && Number(id) >= 1 && Number(id) <= LARGEST_LONG_ID) return { type, id: Number(id) };
    context.addIssue('must be the kind of a record and its id, such as patient:12');
    return z.NEVER;
  });

const filters = {
  types: types.optional().describe('Only these kinds, separated by commas; `appointment.*` matches all appointment events'),
  subject: subject.optional().describe('Only events about this record, such as `patient:12`'),
};

export const dialects = z.enum(EVENT_DIALECTS);

const dialect = {
  dialect: dialects.optional().describe('API whose field names `changed` uses; by default the names in docs/events.md'),
};

const after = text(100).optional();

export const eventsQuery = z.object({
  after: after.describe('`next` of the previous page, or `latest` to start from now; by default, starts with the oldest stored event'),
  limit: z
    .preprocess(toNumber(4), z.int({ error: limitError }).min(1, { error: limitError }).max(1_000, { error: limitError }))
    .default(100)
    .describe('Events per page'),
  ...filters,
  ...dialect,
});

export const streamQuery = z.object({
  after: after.describe('Start after this cursor: `next` of a page, or the id of an event of the stream. Last-Event-ID takes precedence'),
  ...filters,
  ...dialect,
});

export const fromPage = ({ events, cursor, hasMore }: EventPage, dialect?: EventDialect): z.input<typeof EventList> => ({
  data: events.map((event) => publicEvent(event, dialect)),
  next: cursor,
  has_more: hasMore,
});
