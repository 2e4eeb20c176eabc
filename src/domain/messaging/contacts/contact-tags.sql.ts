import { type Statement, selectInstant, statement } from '../../../database/statements/statement.ts';

export interface TagLinkRow {
  id: number;
  contact_id: number;
  /** The same as the contact's id; null for a number that is not a patient's. */
  patient_id: number | null;
  contact_tag_id: number;
  tag_name: string;
  tag_color: string;
  created_at: string;
}

/** Flags of the filters in use: by contact, by tag. */
export interface TagLinkFilter {
  contact: boolean;
  tag: boolean;
}

/** By id. Parameters: organization, limit, offset, then those of the filter. */
export function tagLinkPage(filter: TagLinkFilter): Statement<TagLinkRow> {
  return statement(
    `tag_link_page${toSuffix(filter)}`,
    `SELECT l.id, l.contact_id, c.patient_id, l.contact_tag_id, t.name AS tag_name, t.color AS tag_color,
            ${selectInstant('l.created_at')} AS created_at
       FROM contact_contact_tag l
       JOIN contact_tag t ON t.organization_id = l.organization_id AND t.id = l.contact_tag_id ${whereVisible(filter, 4)}
      ORDER BY l.id LIMIT $2 OFFSET $3`,
  );
}

/** Parameters: organization, then those of the filter. */
export function tagLinkCount(filter: TagLinkFilter): Statement<{ total: number }> {
  return statement(
    `tag_link_count${toSuffix(filter)}`,
    `SELECT count(*)::int AS total FROM contact_contact_tag l ${whereVisible(filter, 2)}`,
  );
}

const toSuffix = ({ contact, tag }: TagLinkFilter) => `${contact ? '_contact' : ''}${tag ? '_tag' : ''}`;

/** Links of listed contacts: numbers, and listed patients. */
function whereVisible({ contact, tag }: TagLinkFilter, next: number): string {
  const conditions = [
    ...(contact ? [`AND l.contact_id = $${next}::int`] : []),
    ...(tag ? [`AND l.contact_tag_id = $${next + Number(contact)}::int`] : []),
  ];
  return `JOIN contact c ON c.organization_id = l.organization_id AND c.id = l.contact_id
      WHERE l.organization_id = $1 AND (c.patient_id IS NULL OR EXISTS (
              SELECT FROM patient_name_key k WHERE k.organization_id = $1 AND k.patient_id = l.contact_id AND k.ordinal = 1))
        ${conditions.join(' ')}`;
}

export interface TagRow {
  id: number;
  name: string;
  color: string;
  created_at: string;
  updated_at: string;
}

/** Sort orders of tags; ties are ordered by id. */
const ORDERS = { name: 'fold(t.name) COLLATE "C"', id: 't.id' } as const;
export type TagOrder = keyof typeof ORDERS;

/** Parameters: organization, limit, offset. */
export function tagPage(order: TagOrder, descending: boolean): Statement<TagRow> {
  const direction = descending ? 'DESC' : 'ASC';
  return statement(
    `tag_page_${order}_${direction}`,
    `SELECT t.id, t.name, t.color, ${selectInstant('t.created_at')} AS created_at,
            ${selectInstant('t.updated_at')} AS updated_at
       FROM contact_tag t WHERE t.organization_id = $1 ORDER BY ${ORDERS[order]} ${direction}, t.id ${direction} LIMIT $2 OFFSET $3`,
  );
}

/** Parameter: organization. */
export const TAG_COUNT: Statement<{ total: number }> = statement(
  'tag_count',
  'SELECT count(*)::int AS total FROM contact_tag WHERE organization_id = $1',
);
