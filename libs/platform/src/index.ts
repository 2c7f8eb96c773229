export { type Command, CommandError, runCli, say, sayList, visible } from './run-cli.js';
export { Clock } from './clock.js';
export { databaseConfig, isProduction, ownerDatabaseConfig } from './config/command-settings.js';
export {
  checkedTogether,
  commonProblems,
  type DatabaseConfig,
  type HttpConfig,
  httpConfig,
  httpSettings,
  passwordIn,
  passwordProblems,
  type Problem,
  PUBLISHED_IN_PRODUCTION,
  type RateLimitConfig,
  type RedisConfig,
  setting,
  storeConfig,
  storeSettings,
} from './config/common-settings.js';
export { isDecodable, NOT_DECODABLE } from './config/store-urls.js';
export { ConfigError, type Environment, loadConfig } from './config/load-config.js';
export * from './config/secrets.js';
export {
  brokenConstraint,
  codeOf,
  DEADLOCK,
  INSUFFICIENT_PRIVILEGE,
  isDatabaseUnavailable,
  isRowMissing,
  LOCK_NOT_AVAILABLE,
} from './database/database-errors.js';
export { type DatabaseDefinition, DatabaseModule, dataSourceOptions } from './database/database.module.js';
export {
  beforeCommit,
  commit,
  pipelined,
  ServiceDataSource,
  whenCommitted,
} from './database/service-data-source.js';
export { Statement, statement } from './database/statement.js';
export { migrate, migrateCommand, withDatabase, type WithDatabase } from './database/commands.js';
export { countedAddress, countedNetwork, countedProvider } from './http/counted-address.js';
export { configureApp, type ServiceDefinition } from './http/configure-app.js';
export { HttpServer } from './http/http-server.js';
export { isPublic, Public } from './http/public.decorator.js';
export { NEST_OPTIONS, runService } from './http/run-service.js';
export { LoadSheddingModule } from './load/load-shedding.js';
export { createLogger, NestLogger, SafeLine } from './logging/logger.js';
export * from './observability/from-zero.js';
export { HealthModule, Readiness, type ReadinessCheck } from './observability/health.module.js';
export * from './operators/operator-options.js';
export { ApiDocument, apiDocument } from './openapi/api-document.js';
export { PlatformModule } from './platform.module.js';
export { AddressLimit } from './rate-limit/address-limit.js';
export { CallThrottlerGuard } from './rate-limit/call-throttler.guard.js';
export { RateLimitModule } from './rate-limit/rate-limit.module.js';
export { RedisThrottlerStorage } from './rate-limit/redis-throttler.storage.js';
export { inProviderSpan } from './tracing/spans.js';
export { checkRedis, isRedisUnavailable, type RedisClient, RedisScript } from './redis/redis-client.js';
export { REDIS, RedisModule } from './redis/redis.module.js';
