export { ApiError, type ErrorItem, NoAnswerError, type Refusal } from './api-error.js';
export { type Client, type ClientOptions, createClient } from './client.js';
export type { ErrorCode, MasterErrorCode, UsersErrorCode } from './error-code.js';
export type { components as MasterComponents, paths as MasterPaths } from './generated/master-service.js';
export type { components as UsersComponents, paths as UsersPaths } from './generated/users-service.js';
export type { CallOptions, Input, Operation, Payload } from './operations.js';
export { type Answer, ServiceClient } from './service-client.js';
export type { Session, SessionEnd } from './session.js';
export { MemoryTokenStorage, type Tokens, type TokenStorage } from './token-storage.js';
