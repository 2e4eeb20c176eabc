import type { Db } from '../../../../database/database.ts';
import type { Caller } from '../../../../domain/caller.ts';
import { deleteChartImage, type ImagePlace, readChartImage, setChartImage } from '../../../../domain/patients/record/chart-images.ts';
import { findInsurance } from '../../../../domain/patients/record/insurances.ts';
import type { Endpoints } from '../../../../http/endpoints/declare-endpoints.ts';
import { fromImage, ImageForm, ImageShape, SUCCESS, Success, toImage } from '../images.wire.ts';
import { insuranceParams } from './insurances.wire.ts';

const CARDS = { tag: 'Insurances', beyondDocument: true, params: insuranceParams } as const;

/** Images of insurance cards; public clients send them by POST and by PUT. */
export function insuranceCardRoutes({ get, post, put, remove }: Endpoints): void {
  get('/patients/:patientId/insurances/:insuranceId/image', {
    ...CARDS,
    operationId: 'getInsuranceCard',
    summary: 'Read the image of an insurance card',
    description: 'Responds 404 if there is none.',
    response: ImageShape,
    handle: async ({ db, caller, params }) => fromImage(await readChartImage(db, caller, await findCardPlace(db, caller, params))),
  });

  const store = {
    ...CARDS,
    description: 'A JPEG or PNG image, which replaces the former one. The form may have at most 1 MiB.',
    body: ImageForm,
    response: Success,
  };
  const handle = async (db: Db, caller: Caller, params: CardParams, image: Uint8Array<ArrayBuffer>) => {
    await setChartImage(db, caller, await findCardPlace(db, caller, params), image);
    return SUCCESS;
  };
  post('/patients/:patientId/insurances/:insuranceId/image', {
    ...store,
    operationId: 'addInsuranceCard',
    summary: 'Add the image of an insurance card',
    handle: ({ db, caller, params, body }) => handle(db, caller, params, toImage(body)),
  });
  put('/patients/:patientId/insurances/:insuranceId/image', {
    ...store,
    operationId: 'setInsuranceCard',
    summary: 'Set the image of an insurance card',
    handle: ({ db, caller, params, body }) => handle(db, caller, params, toImage(body)),
  });

  remove('/patients/:patientId/insurances/:insuranceId/image', {
    ...CARDS,
    operationId: 'deleteInsuranceCard',
    summary: 'Delete the image of an insurance card',
    description: 'Responds 404 if there is none.',
    response: Success,
    handle: async ({ db, caller, params }) => {
      await deleteChartImage(db, caller, await findCardPlace(db, caller, params));
      return SUCCESS;
    },
  });
}

interface CardParams {
  patientId: number;
  insuranceId: number;
}

/** @throws Failure not_found for another patient's insurance */
async function findCardPlace(db: Db, caller: Caller, { patientId, insuranceId }: CardParams): Promise<ImagePlace> {
  await findInsurance(db, caller, patientId, insuranceId);
  return { patientId, insuranceId };
}
