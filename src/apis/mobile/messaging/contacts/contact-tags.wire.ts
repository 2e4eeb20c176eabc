import { z } from 'zod';
import { DEFAULT_COLOR, type Tag, type TagInput, type TagOrder } from '../../../../domain/messaging/contacts/contact-tags.ts';
import { id, instant, optional, paging, text } from '../../../../http/wire/wire-types.ts';
import { one, sortBy, wrapList } from '../../shared.wire.ts';

export const ContactTagShape = z
  .strictObject({ uuid: z.int(), name: z.string(), color: z.string().describe('#rrggbb'), created_at: instant(), updated_at: instant() })
  .meta({ id: 'ContactTag' });

export const ContactTagResponse = one(ContactTagShape).meta({ id: 'ContactTagResponse' });
export const ContactTagList = wrapList(ContactTagShape).meta({ id: 'ContactTagList' });

const name = text(100).min(1);

/** Three or six hexadecimal digits, with or without #. */
const color = z
  .string()
  .max(20)
  .transform((written, context) => {
    const digits = /^#?([\da-f]{3}|[\da-f]{6})$/i.exec(written.trim())?.[1]?.toLowerCase();
    if (digits !== undefined) return `#${digits.length === 3 ? digits.replaceAll(/./g, '$&$&') : digits}`;
    context.addIssue('must be a color such as #2e7d32');
    return z.NEVER;
  })
  .meta({ pattern: '^#?([0-9A-Fa-f]{3}|[0-9A-Fa-f]{6})$' });

const described = { color: optional(color).describe(`#rrggbb or #rgb; ${DEFAULT_COLOR} by default`) };

export const ContactTagCreate = z.object({ name, ...described }).meta({ id: 'ContactTagCreate' });
export const ContactTagUpdate = z.object({ name: name.optional(), ...described }).meta({ id: 'ContactTagUpdate' });

const FIELDS = { name: 'name', title: 'name', uuid: 'id', id: 'id' } as const satisfies Record<string, TagOrder>;

export const contactTagsQuery = z.object({ ...sortBy(FIELDS), ...paging });
export const contactTagParams = z.object({ uuid: id().describe('Contact tag id') });

export const toTagSort = ({ sort, order }: z.output<typeof contactTagsQuery>) => ({ order: sort, descending: order === 'DESC' });

/** Null sets the default color. */
export const toTag = ({ name, color }: z.output<typeof ContactTagUpdate>): TagInput => ({
  name,
  color: color === null ? DEFAULT_COLOR : color,
});

export function fromTag(tag: Tag): z.input<typeof ContactTagShape> {
  return { uuid: tag.id, name: tag.name, color: tag.color, created_at: tag.created_at, updated_at: tag.updated_at };
}
