import os

from django.utils.crypto import constant_time_compare
from rest_framework.authentication import BaseAuthentication, get_authorization_header
from rest_framework.exceptions import AuthenticationFailed


class Client:
    is_authenticated = True


class BearerAuthentication(BaseAuthentication):
    def authenticate(self, request):
        auth = get_authorization_header(request).split()
        if not auth or auth[0].lower() != b"bearer":
            return None
        if len(auth) != 2 or not constant_time_compare(auth[1], os.environ["PLANT_STORE_TOKEN"]):
            raise AuthenticationFailed("Invalid token.")
        return Client(), None

    def authenticate_header(self, request):
        return "Bearer"
