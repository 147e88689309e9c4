import { ArgumentsHost, Catch, ExceptionFilter, HttpException } from '@nestjs/common';
import type { Response } from 'express';

@Catch(HttpException)
export class HttpExceptionFilter implements ExceptionFilter {
  catch(exception: HttpException, host: ArgumentsHost) {
    const response = host.switchToHttp().getResponse<Response>();
    const status = exception.getStatus();
    const answer = exception.getResponse() as string | { message: string | string[] };
    const message = typeof answer === 'string' ? answer : answer.message;
    response.status(status).json({ error: status, message: [message].flat().join('; ') });
  }
}
