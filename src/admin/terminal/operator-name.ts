import { userInfo } from 'node:os';
import { OPERATOR_NAME } from '../../config/checks.ts';
import type { Config } from '../../config/config.ts';
import { UsageError } from './command.ts';

/**
 * The name under which an operator acts: of the option, else of TRIPTYCH_OPERATOR, else in development that of the user of the
 * system.
 * @throws UsageError for a name with other characters, and in production without one
 */
export function operatorName(given: unknown, { TRIPTYCH_OPERATOR, NODE_ENV }: Pick<Config, 'TRIPTYCH_OPERATOR' | 'NODE_ENV'>): string {
  const name = typeof given === 'string' ? given : TRIPTYCH_OPERATOR;
  if (name === undefined && NODE_ENV === 'production')
    throw new UsageError('Give your name for the audit: --as <name>, or the variable TRIPTYCH_OPERATOR.');
  if (name === undefined) return systemUser();
  if (!OPERATOR_NAME.test(name)) throw new UsageError('--as: must be 1 to 64 characters of letters, digits, ".", "_", "@" and "-".');
  return name;
}

function systemUser(): string {
  try {
    return (
      userInfo()
        .username.replaceAll(/[^A-Za-z0-9._@-]/g, '-')
        .slice(0, 64) || 'unknown'
    );
  } catch {
    // The user has no entry in the system's list.
    return 'unknown';
  }
}
