import { Injectable } from '@nestjs/common';
import type { JourneyPayload, JourneyStepView } from '@fd/contracts';
import { ApiDocument } from '@fd/platform';
import type { Issuer } from '../../config/index.js';
import { expectedParams } from './expected-params.js';
import type { Journey, JourneyStep } from './journey.js';
import { type Step, STEP_RULES } from './journey.table.js';

/** JSON Schema of what an issuer asks for. */
export type SchemaOfIssuer = (issuer: Issuer) => object;

/** A journey as clients see it: each step with the call that does it. */
@Injectable()
export class JourneyPresenter {
  private readonly schemas = new Map<Step, SchemaOfIssuer>();

  constructor(private readonly document: ApiDocument) {}

  /** For a step whose fields differ between issuers: the feature that owns it says which they are. */
  setExpectedParams(step: Step, schemaOf: SchemaOfIssuer): void {
    this.schemas.set(step, schemaOf);
  }

  present(issuer: Issuer, { steps, nextStep, percentComplete }: Journey): JourneyPayload {
    return {
      issuer_code: issuer.code,
      steps: steps.map((step) => this.presentStep(issuer, step)),
      next_step: nextStep,
      percent_complete: percentComplete,
    };
  }

  private presentStep(issuer: Issuer, { step, status, reason }: JourneyStep): JourneyStepView {
    const { api, apiInProgress } = STEP_RULES[step];
    const { method, path } = (status === 'IN_PROGRESS' ? apiInProgress : undefined) ?? api;
    return {
      step,
      status,
      reason,
      api: { method, path: path.replace('{issuer_slug}', issuer.slug) },
      expected_params: this.schemas.get(step)?.(issuer) ?? expectedParams(this.document.get(), method, path),
    };
  }
}
