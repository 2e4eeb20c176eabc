import { statement } from '../../database/statements/statement.ts';
import type { LookRow } from './look/look.ts';

/** An open practice as a page of a link shows it. */
export interface LinkPracticeRow extends LookRow {
  id: number;
  name: string;
  /** E.164. */
  phone: string | null;
  timeZone: string;
  language: string;
}

/** Values: organization. */
export const LINK_PRACTICE = statement<LinkPracticeRow>(
  'link_practice',
  `SELECT g.id, g.name, g.phone, g.time_zone AS "timeZone", g.language_id AS language,
          l.colour, l.logo_hash AS "logoHash", l.logo_width AS "logoWidth", l.logo_height AS "logoHeight"
     FROM organization g LEFT JOIN organization_look l ON l.organization_id = $1
    WHERE g.id = $1 AND g.active`,
);
