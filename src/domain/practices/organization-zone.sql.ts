import { statement } from '../../database/statements/statement.ts';

/** Values: organization. */
export const ORGANIZATION_ZONE = statement<{ time_zone: string }>('organization_zone', 'SELECT time_zone FROM organization WHERE id = $1');
