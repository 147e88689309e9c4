from rest_framework import views


def exception_handler(exc, context):
    response = views.exception_handler(exc, context)
    if response is not None:
        if "detail" in response.data:
            message = response.data["detail"]
        else:
            message = "; ".join(f"{field}: {' '.join(texts)}" for field, texts in response.data.items())
        response.data = {"error": response.status_code, "message": message}
    return response
