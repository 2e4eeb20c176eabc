import { type Statement, statement } from '../../database/statements/statement.ts';
import { isShownMedia } from '../patients/restrictions/restricted-charts.sql.ts';

/** The sessions' files of one kind, each with whether a restricted chart hides it. */
const sessionFiles = (table: 'session_image' | 'session_video', column: 'attachment_id' | 'thumbnail_attachment_id') => `
  SELECT m.${column}, NOT (${isShownMedia('m')})
    FROM ${table} m WHERE m.organization_id = $1 AND m.${column} = ANY ($2::bigint[])`;

/** The sessions' files of one kind, each with the patient whom it shows. */
const sessionOwners = (table: 'session_image' | 'session_video') => `
  SELECT m.patient_id FROM ${table} m WHERE m.organization_id = $1 AND $2 IN (m.attachment_id, m.thumbnail_attachment_id)`;

/** The patients whom a file is about, each once. Values: organization, id of the attachment. */
export const PATIENTS_OF_ATTACHMENT: Statement<{ id: number }> = statement(
  'patients_of_attachment',
  `SELECT f.patient_id AS id FROM (
     SELECT m.patient_id
       FROM external_message_attachment x
       JOIN external_message m ON m.organization_id = x.organization_id AND m.id = x.external_message_id
      WHERE x.organization_id = $1 AND x.attachment_id = $2::bigint
     UNION
     SELECT v.patient_id FROM voice_pager_message v WHERE v.organization_id = $1 AND v.attachment_id = $2
     UNION
     SELECT t.patient_id FROM text_picture g JOIN sms_message t ON t.organization_id = g.organization_id AND t.id = g.sms_message_id
      WHERE g.organization_id = $1 AND g.attachment_id = $2
     UNION ${sessionOwners('session_image')}
     UNION ${sessionOwners('session_video')}) AS f
    WHERE f.patient_id IS NOT NULL`,
);

/**
 * Those of the files that belong to restricted and blocked patients alone: to messages to them, calls and texts from them, or their video
 * sessions. Values: organization, ids of attachments, the numbers of restricted patients.
 */
export const RESTRICTED_ATTACHMENTS: Statement<{ id: number }> = statement(
  'restricted_attachments',
  `SELECT f.id FROM (
     SELECT x.attachment_id AS id, coalesce(p.restricted, false) AS restricted
       FROM external_message_attachment x
       JOIN external_message m ON m.organization_id = x.organization_id AND m.id = x.external_message_id
       LEFT JOIN patient p ON p.organization_id = m.organization_id AND p.id = m.patient_id
      WHERE x.organization_id = $1 AND x.attachment_id = ANY ($2::bigint[])
     UNION ALL
     SELECT v.attachment_id, coalesce(p.restricted, v.from_number = ANY ($3::text[]))
       FROM voice_pager_message v LEFT JOIN patient p ON p.organization_id = v.organization_id AND p.id = v.patient_id
      WHERE v.organization_id = $1 AND v.attachment_id = ANY ($2::bigint[])
     UNION ALL
     SELECT g.attachment_id, coalesce(p.restricted, t.from_number = ANY ($3::text[]))
       FROM text_picture g JOIN sms_message t ON t.organization_id = g.organization_id AND t.id = g.sms_message_id
       LEFT JOIN patient p ON p.organization_id = t.organization_id AND p.id = t.patient_id
      WHERE g.organization_id = $1 AND g.attachment_id = ANY ($2::bigint[])
     UNION ALL ${sessionFiles('session_image', 'attachment_id')}
     UNION ALL ${sessionFiles('session_image', 'thumbnail_attachment_id')}
     UNION ALL ${sessionFiles('session_video', 'attachment_id')}
     UNION ALL ${sessionFiles('session_video', 'thumbnail_attachment_id')}) AS f
    GROUP BY f.id HAVING bool_and(f.restricted)`,
);
