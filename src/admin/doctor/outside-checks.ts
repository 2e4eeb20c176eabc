import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { BlockList, isIP } from 'node:net';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { connect } from 'node:tls';
import type { Config } from '../../config/config.ts';
import { isLoopback } from '../../config/production.ts';
import { writeQuantity } from '../../database/measures/quantities.ts';
import { listUnknownProxies } from '../../domain/identity/limits/unknown-proxies.ts';
import { countRegistrations } from '../../domain/messaging/numbers/number-registration.ts';
import { createCarrier } from '../../gateways/carrier/create-carrier.ts';
import { createFiles } from '../../gateways/files/create-files.ts';
import { createMailer } from '../../gateways/mail/create-mailer.ts';
import { type DatabaseCheck, describeInOneLine, fail, type OutsideCheck, ok, type Result, warn } from './finding.ts';

/** Days for which a certificate is still good. */
const CERTIFICATE_DAYS = { warn: 21, fail: 3 };
const CONNECT_MS = 5_000;
const DAY_MS = 86_400_000;

/** Services that the server needs; the database is not among them. */
export const OUTSIDE_CHECKS: readonly OutsideCheck[] = [
  {
    name: 'files',
    async look(config) {
      const place = config.TRIPTYCH_FILES === 's3' ? `the bucket ${config.FILES_S3_BUCKET}` : `${config.DATA_DIR}/files`;
      const [files, key, content] = [await createFiles(config), `doctor/${randomUUID()}`, 'written and removed by doctor'];
      try {
        await files.write(key, Readable.from([Buffer.from(content)]));
        const read = await text(await files.read(key));
        await files.remove(key);
        return read === content ? ok(`${place} can be written, read and removed from`) : fail(`${place} returns other bytes`, FILES_ADVICE);
      } catch (error) {
        return fail(`${place} cannot be used: ${describeInOneLine(error)}`, FILES_ADVICE);
      }
    },
  },
  {
    name: 'video',
    async look({ ICE_SERVERS, NODE_ENV }) {
      if (ICE_SERVERS === undefined)
        return NODE_ENV === 'production'
          ? warn(
              'no STUN or TURN server',
              'Set ICE_SERVERS, or set it to none. Without a server, people behind strict firewalls cannot see each other.',
            )
          : ok('no STUN or TURN server, which production needs');
      if (ICE_SERVERS.length === 0) return ok('no STUN or TURN server, as set in ICE_SERVERS');
      return ok(`STUN and TURN servers: ${ICE_SERVERS.join(', ')}`);
    },
  },
  {
    name: 'certificate',
    async look({ PUBLIC_URL }) {
      const url = URL.parse(PUBLIC_URL ?? '');
      if (url === null) return ok('PUBLIC_URL is not set: links point to this machine');
      if (url.protocol === 'https:') return certificate(url);
      return isLoopback(url)
        ? ok('PUBLIC_URL points to this machine, over http')
        : warn('PUBLIC_URL begins with http', 'Patients need https for cameras and Secure cookies.');
    },
  },
];

/** Services whose gateways keep what they do in the database. */
export const SENDING_CHECKS: readonly DatabaseCheck[] = [
  {
    name: 'mail',
    async look({ config, database, keyring }) {
      const mailer = await createMailer(config, database, keyring);
      if (mailer.name === 'local')
        return judgeLocal(config, 'mails stay in the database and are not sent', 'Set SMTP_URL and MAIL_FROM.', config.TRIPTYCH_MAIL);
      const server = new URL(config.SMTP_URL ?? '').host;
      return checkReached(mailer.check(), `the mail server ${server}`, 'Check SMTP_URL: the server, the user and the password.');
    },
  },
  {
    name: 'carrier',
    async look({ config, database, keyring }) {
      const carrier = await createCarrier(config, database, keyring);
      if (carrier.name === 'local')
        return judgeLocal(
          config,
          'texts stay in the database and are not sent',
          'Set TRIPTYCH_CARRIER=twilio and its account, or TRIPTYCH_CARRIER=local.',
          config.TRIPTYCH_CARRIER,
        );
      if (config.PUBLIC_URL === undefined) return warn('PUBLIC_URL is not set: the carrier cannot deliver replies', 'Set PUBLIC_URL.');
      return checkReached(
        carrier.check(),
        `the carrier ${carrier.name}`,
        'Check TWILIO_ACCOUNT_SID and TWILIO_AUTH_TOKEN, that the account is active, and that TWILIO_MESSAGING_SERVICE_SID is set as in docs/operations.md.',
      );
    },
  },
  {
    name: 'numbers',
    async look({ database }) {
      const found = await countRegistrations(database.prisma);
      const words = `numbers that text: ${Object.entries(found)
        .map(([state, many]) => `${many} ${state}`)
        .join(', ')}`;
      if (found.pending + found.unregistered + found.unknown === 0) return ok(words, found);
      return warn(words, 'US carriers drop texts from numbers without an approved campaign: see docs/operations.md.', found);
    },
  },
];

const FILES_ADVICE = 'Check that the place exists, has free space and is writable. S3 needs Get, Put, Delete and AbortMultipartUpload.';

/** @param chosen whether the operator said that it is to be so */
function judgeLocal({ NODE_ENV }: Config, found: string, advice: string, chosen?: string): Result {
  return NODE_ENV === 'production' && chosen === undefined ? warn(found, advice) : ok(found);
}

async function checkReached(asking: Promise<void>, whom: string, advice: string): Promise<Result> {
  try {
    await asking;
    return ok(`${whom} accepts these credentials`);
  } catch (error) {
    return fail(`${whom} cannot be used: ${describeInOneLine(error)}`, advice);
  }
}

async function certificate({ hostname, port }: URL): Promise<Result> {
  const host = hostname.replace(/^\[(.*)\]$/, '$1');
  const socket = connect({ host, port: Number(port || 443), rejectUnauthorized: false, ...(isIP(host) === 0 ? { servername: host } : {}) });
  try {
    await once(socket, 'secureConnect', { signal: AbortSignal.timeout(CONNECT_MS) });
    const days = Math.floor((Date.parse(socket.getPeerCertificate().valid_to) - Date.now()) / DAY_MS);
    const figures = { days_left: days };
    const advice = 'Renew the certificate of the proxy in front of the server.';
    if (!socket.authorized)
      return fail(`browsers refuse the certificate of ${host}: ${describeInOneLine(socket.authorizationError)}`, advice, figures);
    const found = `the certificate of ${host} is good for ${writeQuantity(days, 'day')}`;
    if (days < CERTIFICATE_DAYS.fail) return fail(found, advice, figures);
    return days < CERTIFICATE_DAYS.warn ? warn(found, advice, figures) : ok(found, figures);
  } catch (error) {
    return fail(
      `${host} cannot be reached over TLS: ${describeInOneLine(error)}`,
      'Check that the proxy is running. Some networks cannot reach their own public address.',
    );
  } finally {
    socket.destroy();
  }
}

/** Proxies that send the addresses of clients to a server which does not believe them. */
export const PROXY_CHECK: DatabaseCheck = {
  name: 'proxies',
  async look({ config, db }) {
    const trusted = toBlockList(config.TRUST_PROXY);
    const found = (await listUnknownProxies(db)).filter((address) => !trusted.check(address, readFamily(address)));
    const figures = { not_believed: found.length };
    if (found.length === 0) return ok('no untrusted proxy forwards client addresses', figures);
    return warn(
      `${found.slice(0, 5).join(', ')} forwarded client addresses in the last day, and no server trusts it`,
      'If it is your proxy, name it in TRUST_PROXY: until then, limits per address count all of its clients as one.',
      figures,
    );
  },
};

/** The names that TRUST_PROXY may have, as Fastify reads them. */
const NAMED: Readonly<Record<string, readonly string[]>> = {
  loopback: ['127.0.0.0/8', '::1'],
  linklocal: ['169.254.0.0/16', 'fe80::/10'],
  uniquelocal: ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7'],
};

const readFamily = (address: string) => (isIP(address) === 4 ? 'ipv4' : 'ipv6');

/** A proxy that TRUST_PROXY names by now is no longer noted, but its note is kept until it sends a request. */
function toBlockList(trustProxy: readonly string[]): BlockList {
  const list = new BlockList();
  for (const range of trustProxy.flatMap((text) => NAMED[text] ?? text)) {
    const [address = '', bits] = range.split('/');
    if (bits === undefined) list.addAddress(address, readFamily(address));
    else list.addSubnet(address, Number(bits), readFamily(address));
  }
  return list;
}
