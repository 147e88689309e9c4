from django.urls import path
from rest_framework import serializers
from rest_framework.response import Response
from rest_framework.views import APIView

plants = []


class PlantSerializer(serializers.Serializer):
    name = serializers.CharField()
    tag = serializers.CharField(required=False)


class NewPlantSerializer(PlantSerializer):
    id = serializers.IntegerField()


class PlantList(APIView):
    def post(self, request):
        serializer = NewPlantSerializer(data=request.data)
        serializer.is_valid(raise_exception=True)
        plants.append(serializer.validated_data)
        return Response(PlantSerializer(serializer.validated_data).data)


urlpatterns = [path("plants", PlantList.as_view())]
