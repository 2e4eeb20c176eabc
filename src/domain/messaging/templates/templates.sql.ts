import { statement } from '../../../database/statements/statement.ts';
import type { SmsTemplate as TemplateColumns } from '../../../generated/prisma/client.ts';
import type { Wording } from './template-wordings.ts';

/** A template with its wordings in other languages, by language. */
export interface SmsTemplate extends TemplateColumns {
  variants: Wording[];
}

const TEMPLATE = `SELECT t.organization_id AS "organizationId", t.id, t.category, t.name, t.body, t.language, t.tracks_response AS "tracksResponse",
          t.active, t.deleted_at AS "deletedAt", t.created_at AS "createdAt", t.updated_at AS "updatedAt",
          (SELECT coalesce(json_agg(json_build_object('language', v.language, 'body', v.body) ORDER BY v.language), '[]')
             FROM sms_template_variant v WHERE v.organization_id = $1 AND v.template_id = t.id) AS variants
     FROM sms_template t`;

/** Values: organization, id. */
export const TEMPLATE_BY_ID = statement<SmsTemplate>(
  'template_by_id',
  `${TEMPLATE} WHERE t.organization_id = $1 AND t.id = $2 AND t.deleted_at IS NULL`,
);

/** The template that is in use. Values: organization, category. */
export const ACTIVE_TEMPLATE = statement<SmsTemplate>(
  'active_template',
  `${TEMPLATE} WHERE t.organization_id = $1 AND t.category = $2 AND t.active AND t.deleted_at IS NULL LIMIT 1`,
);
