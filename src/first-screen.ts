import { join } from 'node:path';
import type { Config } from './config.ts';
import type { DemoFile } from './demo.ts';

interface Screen {
  address: string;
  config: Config;
  demo: DemoFile | null;
}

/** What a person sees when the server is up. It goes to the terminal only and shows no secret: those are in demo.json. */
export function firstScreen({ address, config, demo }: Screen): string {
  const lines = [
    '',
    `  Triptych is ready at ${address}`,
    '',
    `    integration API   ${address}/api`,
    `    practice API      ${address}/${config.API_VARIANTS[0] ?? 'v1'}/{practiceid}`,
    `    mobile API        ${address}/`,
    `    reference         ${address}/docs`,
    `    health            ${address}/healthz  ${address}/readyz  ${address}/metrics`,
    '',
  ];
  if (!demo) return `${lines.join('\n')}\n`;
  const file = join(config.DATA_DIR, 'demo.json');
  return `${[
    ...lines,
    `  Two demo practices; how to sign in to them: ${file}`,
    '  Paste this to see real data:',
    '',
    `    curl -s ${address}/api/appointments/types -H "authorization: Bearer $(node -e '${tokenScript(file)}')"`,
    '',
  ].join('\n')}\n`;
}

/** Gets a token with the first integration client of demo.json, so that one line shows data. */
function tokenScript(file: string): string {
  return [
    `const d=JSON.parse(require("fs").readFileSync(${JSON.stringify(file)}))`,
    'c=d.practices[0].clients[0]',
    'fetch(d.baseUrl+"/oauth2/v1/token",{method:"POST",body:new URLSearchParams({grant_type:"client_credentials",client_id:c.client_id,client_secret:c.client_secret})}).then(r=>r.json()).then(t=>console.log(t.access_token))',
  ].join(',');
}
