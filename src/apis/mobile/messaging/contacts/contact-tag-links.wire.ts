import { z } from 'zod';
import { invalid } from '../../../../domain/errors.ts';
import type { TagLink } from '../../../../domain/messaging/contacts/contact-tag-links.ts';
import { alsoNamed, filterNames } from '../../../../http/input/query.ts';
import { id, instant, longId, optional, paging } from '../../../../http/wire/wire-types.ts';
import { one, wrapList } from '../../shared.wire.ts';

export const TagLinkShape = z
  .strictObject({
    uuid: z.int(),
    contact_uuid: z.int(),
    contact_tag_uuid: z.int(),
    tag: z.strictObject({ uuid: z.int(), name: z.string(), color: z.string() }),
    created_at: instant(),
  })
  .meta({ id: 'ContactContactTag' });

export const TagLinkResponse = one(TagLinkShape).meta({ id: 'ContactContactTagResponse' });
export const TagLinkList = wrapList(TagLinkShape).meta({ id: 'ContactContactTagList' });

export const TagLinkRequest = z
  .object({ contact_uuid: optional(id()).describe('Same as in the path; optional'), contact_tag_uuid: id() })
  .meta({ id: 'ContactContactTagRequest' });

export const tagLinksQuery = z.object({
  contact_uuid: alsoNamed(optional(id()), ...filterNames('contact')).describe('Contact id'),
  contact_tag_uuid: alsoNamed(optional(id()), ...filterNames('contact_tag')).describe('Contact tag id'),
  ...paging,
});
export const taggedParams = z.object({ uuid: id().describe('Contact id') });
export const tagLinkParams = z.object({ uuid: longId().describe('Id of the link') });

export const toTagLinkSearch = ({ contact_uuid, contact_tag_uuid }: z.output<typeof tagLinksQuery>) => ({
  contactId: contact_uuid ?? undefined,
  tagId: contact_tag_uuid ?? undefined,
});

/** @throws Failure invalid where the body and the path name different contacts */
export function toTagged(path: z.output<typeof taggedParams>, body: z.output<typeof TagLinkRequest>) {
  if (body.contact_uuid && body.contact_uuid !== path.uuid)
    throw invalid('contact_uuid', 'differs from the contact in the path', 'contradiction');
  return { contactId: path.uuid, tagId: body.contact_tag_uuid };
}

export function fromTagLink(link: TagLink): z.input<typeof TagLinkShape> {
  return {
    uuid: link.id,
    contact_uuid: link.contact_id,
    contact_tag_uuid: link.contact_tag_id,
    tag: { uuid: link.contact_tag_id, name: link.tag_name, color: link.tag_color },
    created_at: link.created_at,
  };
}
