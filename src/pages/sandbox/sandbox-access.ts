import type { FastifyRequest } from 'fastify';
import type { Config } from '../../config/config.ts';
import type { Gateways } from '../../gateways/gateways.ts';

/** The settings that decide whether there is a sandbox. */
export interface SandboxSetting {
  config: Pick<Config, 'NODE_ENV'>;
  gateways: Pick<Gateways, 'carrier'>;
  /** The practices whose phones and mailboxes are shown: those of the demo. Without any there is no sandbox. */
  demoPracticeIds?: readonly number[] | undefined;
}

/** Whether this server can have a sandbox: with a demo, not in production, and with the local carrier, which sends nothing. */
export const hasSandbox = ({ config, gateways, demoPracticeIds }: SandboxSetting): boolean =>
  demoPracticeIds !== undefined && config.NODE_ENV !== 'production' && gateways.carrier.name === 'local';

/** Whether who sends this request may open the sandbox. */
export const isSandboxOpen = (setting: SandboxSetting, request: FastifyRequest): boolean =>
  hasSandbox(setting) && (setting.demoPracticeIds?.length ?? 0) > 0 && isLocal(request);

const LOOPBACK_PEER = /^(?:127\.\d{1,3}\.\d{1,3}\.\d{1,3}|::1|::ffff:127\.\d{1,3}\.\d{1,3}\.\d{1,3})$/;
const LOOPBACK_HOST = /^(?:localhost|127\.\d{1,3}\.\d{1,3}\.\d{1,3}|\[::1\])(?::\d{1,5})?$/i;
/** Headers of proxies, behind which the client may be anywhere. */
const FORWARDED = ['forwarded', 'via', 'x-forwarded-for', 'x-forwarded-host', 'x-real-ip'];

/**
 * Whether the request comes from this machine, by its socket. The host must be a loopback name too, because a page of another
 * site could otherwise read the response through a DNS name that points here (DNS rebinding).
 */
function isLocal({ raw, headers }: FastifyRequest): boolean {
  if (FORWARDED.some((name) => headers[name] !== undefined)) return false;
  return LOOPBACK_PEER.test(raw.socket.remoteAddress ?? '') && LOOPBACK_HOST.test(headers.host ?? '');
}
