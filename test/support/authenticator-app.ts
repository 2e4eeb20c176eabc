import { generate } from 'otplib';
import { signedInUser } from './actors.ts';
import type { Served } from './app.ts';

/** A person with an authenticator app and recovery codes; its enrolment has used the code of the step before this one. */
export async function personWithApp(test: Served, options: Parameters<typeof signedInUser>[1] = {}) {
  const person = await signedInUser(test, options);
  const { body: started } = await person.post('/user/second-factors/authenticator-app/options').send({}).expect(200);
  const { challenge, secret } = started.data;
  const codeAt = (seconds: number) => generate({ secret, epoch: Math.floor(Date.now() / 1000) + seconds });
  const { body } = await person
    .post('/user/second-factors/authenticator-app')
    .send({ challenge, code: await codeAt(-30) })
    .expect(201);
  const codes: string[] = body.data.recovery_codes;
  return { ...person, codeAt, codes, factor: Number(body.data.factor.uuid) };
}
