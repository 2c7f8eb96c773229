import { Webhook } from './webhooks/webhook.entity.js';

export const INTEGRATIONS_ENTITIES = [Webhook];
