import { z } from 'zod';
import { namesMatching } from '../../domain/events/event-filter.ts';

const NOT_A_TYPE = 'must be kinds of events, by name or as appointment.*';

/** Names and patterns of events. */
export const eventTypes = () =>
  z
    .array(z.string().refine((name) => namesMatching(name).length > 0, NOT_A_TYPE))
    .meta({ placeholder: 'type', several: true })
    .describe('kinds of events, such as patient.updated or appointment.*; may be repeated');
